"""The ways to fetch a page, one file each; each sets PLUG to a `wireroom.ports.StrategyPlug`."""
