"""One file per scouting step that is no rights signal; each sets PLUG to a `wireroom.ports.Step`."""
