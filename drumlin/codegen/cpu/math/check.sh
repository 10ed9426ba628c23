set -e
cd /work/main/drumlin/codegen/cpu/math
for v in 0 1; do for f in *.c; do clang-22 -O2 -mavx512f -ffp-contract=off -fno-builtin -std=c17 -Wall -Wextra -Werror -Wno-psabi -DDRUMLIN_HAS_FMA=$v -S -emit-llvm -o /tmp/m_$v_$f.ll $f; done; done
