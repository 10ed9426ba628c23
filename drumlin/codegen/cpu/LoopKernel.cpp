// Loop kernels: pointwise, shape and gather operations and reductions, computed in one walk over
// the results (drumlin/ir/plan/LoopWalk.h says which).
#include "drumlin/codegen/cpu/KernelEmitter.h"

#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/ir/plan/LoopWalk.h"

using namespace llvm;

namespace drumlin::codegen {

static_assert(walkLanes == lanes, "tiles begin at whole registers");

static void storeRoots(KernelFrame &frame, const LoopGroup &group, const IndexTuple *at) {
  // All values before all stores: an output may lie where an input did.
  SmallVector<Lanes> values;
  for (auto [number, root] : group.roots) {
    values.push_back(frame.emitter.emit(root, at));
  }
  for (auto [root, value] : zip(group.roots, values)) {
    frame.emitter.store(frame.outputs[root.first], at, value);
  }
}

// body(base) for each vector of lanes in [begin, end), the last one masked where `count` isn't
// whole.
static void emitLanes(KernelFrame &frame, Value *begin, Value *end, int64_t count,
                      function_ref<void(Value *)> body) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  unsigned width = e.index().width();
  e.emitLoop(begin, end, width, [&](Value *base) {
    Value *saved = e.activeLanes();
    if (count % width != 0) {
      Value *positions = e.index().asVector(e.index().laneOf(base));
      e.setActiveLanes(b.CreateICmpSLT(positions, b.CreateVectorSplat(width, end)));
    }
    body(base);
    e.setActiveLanes(saved);
  });
}

static void emitRow(KernelFrame &frame, const LoopGroup &group, Value *row) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  int64_t rowLength = group.shape.back();
  Shape outerShape(group.shape.begin(), group.shape.end() - 1);
  SmallVector<LaneIndex> outer(index.dims(index.tupleFromLinear(outerShape, index.scalar(row))));

  e.beginHoisting(group.rowReductions);
  emitLanes(frame, b.getInt64(0), b.getInt64(static_cast<uint64_t>(rowLength)), rowLength,
            [&](Value *base) {
              SmallVector<LaneIndex> dims = outer;
              dims.push_back(index.laneOf(base, index.width()));
              storeRoots(frame, group, index.tuple(group.shape, dims));
            });
  e.endHoisting();
}

// One block of the blocked dimension, at one position of the others: all of the last dimension by
// lanes, and for each vector of it the positions of the block.
static void emitBlock(KernelFrame &frame, const LoopGroup &group, Value *step) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  int64_t rowLength = group.shape.back();
  auto blocked = static_cast<size_t>(group.blockedDimension);
  Shape outerShape(group.shape.begin(), group.shape.end() - 1);
  int64_t extent = outerShape[blocked];
  outerShape[blocked] = (extent + walkBlock - 1) / walkBlock;
  SmallVector<LaneIndex> outer(index.dims(index.tupleFromLinear(outerShape, index.scalar(step))));
  Value *first = b.CreateMul(outer[blocked].base, b.getInt64(walkBlock));
  Value *last = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateAdd(first, b.getInt64(walkBlock)),
                                        b.getInt64(static_cast<uint64_t>(extent)));
  emitLanes(frame, b.getInt64(0), b.getInt64(static_cast<uint64_t>(rowLength)), rowLength,
            [&](Value *base) {
              e.emitLoop(first, last, 1, [&](Value *position) {
                SmallVector<LaneIndex> dims = outer;
                dims[blocked] = index.scalar(position);
                dims.push_back(index.laneOf(base, index.width()));
                storeRoots(frame, group, index.tuple(group.shape, dims));
              });
            });
}

static void emitGroup(KernelFrame &frame, const LoopGroup &group, Value *tile) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  index.setWidth(static_cast<unsigned>(group.width));
  Value *perTile = b.getInt64(static_cast<uint64_t>(group.perTile));
  Value *begin = b.CreateMul(tile, perTile, "", true, true);
  Value *end = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateAdd(begin, perTile, "", true, true),
                                       b.getInt64(static_cast<uint64_t>(group.count)));
  switch (group.walk) {
  case Walk::Flat:
    emitLanes(frame, begin, end, group.count, [&](Value *base) {
      storeRoots(frame, group,
                 index.tupleFromLinear(group.shape, index.laneOf(base, index.width())));
    });
    return;
  case Walk::Blocked:
    e.emitLoop(begin, end, 1, [&](Value *step) { emitBlock(frame, group, step); });
    return;
  case Walk::Rows:
    e.emitLoop(begin, end, 1, [&](Value *row) { emitRow(frame, group, row); });
    return;
  case Walk::Single:
    e.emitLoop(begin, end, 1, [&](Value *position) {
      storeRoots(frame, group, index.tupleFromLinear(group.shape, index.scalar(position)));
    });
    return;
  }
}

// Where the result lies over the operand already, only the update is written: all of it by the
// first tile.
static void emitInPlaceUpdate(KernelFrame &frame, stablehlo::DynamicUpdateSliceOp update,
                              BasicBlock *otherwise) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  const Buffer &output = frame.outputs.front();
  Function *function = frame.function;
  BasicBlock *inPlace = BasicBlock::Create(b.getContext(), "in_place", function);
  BasicBlock *write = BasicBlock::Create(b.getContext(), "write", function);
  BasicBlock *done = BasicBlock::Create(b.getContext(), "written", function);
  Value *same = b.CreateICmpEQ(e.bufferOf(update.getOperand())->pointer, output.pointer);
  b.CreateCondBr(same, inPlace, otherwise);
  b.SetInsertPoint(inPlace);
  b.CreateCondBr(b.CreateICmpEQ(frame.tileBegin, b.getInt64(0)), write, done);
  b.SetInsertPoint(write);
  ArrayRef<int64_t> shape = shapeOf(update.getUpdate());
  Shape updateShape(shape.begin(), shape.end());
  SmallVector<LaneIndex> starts;
  for (size_t i = 0; i < updateShape.size(); ++i) {
    starts.push_back(index.scalar(e.emitClampedIndex(update.getStartIndices()[i], e.scalarIndex(),
                                                     output.shape[i] - updateShape[i])));
  }
  int64_t rowLength = updateShape.empty() ? 1 : updateShape.back();
  int64_t total = *elementCount(updateShape);
  Value *rows = b.getInt64(static_cast<uint64_t>(total / std::max<int64_t>(rowLength, 1)));
  auto storeAt = [&](ArrayRef<LaneIndex> dims) {
    SmallVector<LaneIndex> target;
    for (auto [dim, start] : zip(dims, starts)) {
      target.push_back(index.add(dim, start));
    }
    Lanes value = e.emit(update.getUpdate(), index.tuple(updateShape, dims));
    e.store(output, index.tuple(output.shape, target), value);
  };
  if (updateShape.empty()) {
    storeAt({});
  } else {
    e.emitLoop(b.getInt64(0), rows, 1, [&](Value *row) {
      Shape outerShape(updateShape.begin(), updateShape.end() - 1);
      SmallVector<LaneIndex> outer(
          index.dims(index.tupleFromLinear(outerShape, index.scalar(row))));
      emitLanes(frame, b.getInt64(0), b.getInt64(static_cast<uint64_t>(rowLength)), rowLength,
                [&](Value *base) {
                  SmallVector<LaneIndex> dims = outer;
                  dims.push_back(index.laneOf(base, index.width()));
                  storeAt(dims);
                });
    });
  }
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
}

KernelProperties emitLoopKernel(KernelFrame &frame) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  if (stablehlo::DynamicUpdateSliceOp update = inPlaceUpdate(frame.kernel.getBody().front())) {
    BasicBlock *otherwise = BasicBlock::Create(b.getContext(), "copy", frame.function);
    e.pushScope();
    emitInPlaceUpdate(frame, update, otherwise);
    e.popScope();
    b.SetInsertPoint(otherwise);
  }
  SmallVector<LoopGroup> groups = groupRoots(frame.kernel.getBody().front());
  KernelProperties properties;
  properties.tiles = 0;
  for (const LoopGroup &group : groups) {
    properties.tiles += group.tiles;
  }
  // The groups' tiles follow one another in the kernel's range.
  int64_t first = 0;
  for (const LoopGroup &group : groups) {
    Value *from = b.CreateBinaryIntrinsic(Intrinsic::smax, frame.tileBegin,
                                          b.getInt64(static_cast<uint64_t>(first)));
    Value *to = b.CreateBinaryIntrinsic(Intrinsic::smin, frame.tileEnd,
                                        b.getInt64(static_cast<uint64_t>(first + group.tiles)));
    e.emitLoop(from, to, 1, [&](Value *tile) {
      emitGroup(frame, group,
                b.CreateSub(tile, b.getInt64(static_cast<uint64_t>(first)), "", true, true));
    });
    first += group.tiles;
  }
  return properties;
}

} // namespace drumlin::codegen
