"""Engines: how work is spread. They import rooms, never the desk; one engine per file, each sets PLUG."""
