mkdir build && ln -s "$BUILD" build/release
