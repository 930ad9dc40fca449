# Empties what Windows keeps in memory: working sets, the system's working set, the
# modified list, the standby list, and that of priority 0. Needs an administrator,
# and RAMMap64.exe of Sysinternals on PATH or named by -RAMMap.
#
#     hyperfine -p "powershell -NoProfile -ExecutionPolicy Bypass -File utils\cold-cache\windows.ps1" ...
param(
    [string]$RAMMap = $(if ($env:RAMMAP) { $env:RAMMAP } else { 'RAMMap64.exe' }),
    [int]$SettleSeconds = 5
)
$ErrorActionPreference = 'Stop'
foreach ($list in '-Ew', '-Es', '-Em', '-Et', '-E0') {
    # RAMMap has a window: only Start-Process waits for such a program.
    $run = Start-Process -FilePath $RAMMap -ArgumentList '-accepteula', $list -Wait -PassThru
    if ($run.ExitCode -ne 0) {
        throw "$RAMMap $list failed with $($run.ExitCode); are you an administrator?"
    }
}
# The System process works on for some seconds.
Start-Sleep -Seconds $SettleSeconds
