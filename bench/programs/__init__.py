"""Programs that benches run, ours and our peers', each measured in a process of its own."""
