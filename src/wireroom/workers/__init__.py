"""Workers: how work is spread over processes. Engines import rooms, never the app; one engine per file, each sets PLUG."""
