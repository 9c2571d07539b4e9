"""Ways to do one thing, ours and our peers', each measured in a process of its own."""
