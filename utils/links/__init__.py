"""Small links made at random, and what judges them."""
