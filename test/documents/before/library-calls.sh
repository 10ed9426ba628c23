ln -s "$ROOT/test" test
