"""Makes small random links, and judges them."""
