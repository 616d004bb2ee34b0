"""The HTTP service: the operations of `tenure.edge` over Starlette, with access rules. Needs the extra `server`."""
