"""Export: articles are written, given an iterator; one format per file, each sets PLUG."""
