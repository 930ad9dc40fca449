"""The words that names are made of, and the types that values have."""

MODULES = ("ai animation audio combat dialogue economy effects interface navigation network "
           "physics quests rendering streaming vehicles weather").split()
PARTS = "runtime editor tasks assets debugging replication persistence prediction".split()
SUBJECTS = ("Inventory Weapon Navigation Combat Dialogue Weather Vehicle Lighting Particle "
            "Animation Terrain Audio Camera Physics Quest Crafting Stealth Faction Economy "
            "Spawning Streaming Foliage Ocean Replay Matchmaking Achievement Tutorial Interaction "
            "Destruction Locomotion").split()
ASPECTS = ("Trajectory Blend Budget Influence Visibility Priority Proximity Occlusion Transition "
           "Schedule Condition Threshold Boundary Attachment Territory Resource Damage Reward "
           "Behaviour Surface Cluster Cascade Fragment Sequence Trigger Socket Modifier Snapshot "
           "Emitter Constraint").split()
ROLES = ("Component Controller Manager Descriptor Subsystem Instance Director Resolver Collection "
         "Evaluator Dispatcher Registry").split()
VERBS = ("compute update resolve gather apply refresh collect validate propagate estimate reset "
         "interpolate").split()
VALUE_NAMES = ("speed weight range owner cooldown radius flags origin extent tint level budget "
               "angle score delay target velocity density phase distance").split()
CONTAINER_NAMES = ("entries pending active history listeners lookup cache overrides bindings "
                   "children").split()
SCALARS = ("u32", "u64", "f32", "i32", "u16", "bool")
KEYS = ("u32", "u64", "core::String")
PLAIN_TYPES = (
    "math::Vector3", "math::Vector4", "math::Transform",
    "math::Vector<i32, 2>", "math::Quaternion", "core::String",
)
