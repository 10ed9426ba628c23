// Functions that the standard library lacks, in the widest precision at hand.
#pragma once

namespace drumlin::interpreter {

// The x with erf(x) = y: +-infinity at +-1, NaN outside of [-1, 1].
long double erfInverse(long double y);

} // namespace drumlin::interpreter
