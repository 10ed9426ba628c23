ln -s "$ROOT/tools" tools
