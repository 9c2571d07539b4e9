"""Engines: how work is spread. They import rooms, never the app; one engine per file, each sets PLUG."""
