#include "drumlin/pjrt/CopyToDeviceStream.h"

#include "drumlin/pjrt/PjrtEvent.h"

#include <algorithm>
#include <cstring>

namespace drumlin::pjrt {

ReceivedValues::ReceivedValues(std::vector<std::span<std::byte>> given) : values(std::move(given)) {
  for (std::span<std::byte> value : values) {
    totalBytes += value.size();
  }
}

Outcome ReceivedValues::add(std::span<const std::byte> piece) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isClosed || piece.size() > totalBytes - currentBytes) {
    return invalid("the program receives " + std::to_string(totalBytes) + " bytes, and got " +
                   std::to_string(currentBytes) + " before these " + std::to_string(piece.size()));
  }
  size_t begin = 0; // the offset of `value` in all received bytes
  for (std::span<std::byte> value : values) {
    size_t skipped = currentBytes > begin ? std::min(currentBytes - begin, value.size()) : 0;
    size_t taken = std::min(piece.size(), value.size() - skipped);
    std::copy_n(piece.begin(), taken, value.begin() + static_cast<ptrdiff_t>(skipped));
    piece = piece.subspan(taken);
    currentBytes += taken;
    begin += value.size();
  }
  changed.notify_all();
  return Done();
}

void ReceivedValues::close() {
  std::lock_guard<std::mutex> lock(mutex);
  isClosed = true;
  changed.notify_all();
}

Outcome ReceivedValues::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return isClosed || currentBytes == totalBytes; });
  isClosed = true; // from now on the program uses the memory, so no piece may be written to it
  return currentBytes == totalBytes
             ? Outcome(Done())
             : fail(ErrorCode::Cancelled, "the program receives " + std::to_string(totalBytes) +
                                              " bytes, of which " + std::to_string(currentBytes) +
                                              " arrived");
}

size_t ReceivedValues::current() {
  std::lock_guard<std::mutex> lock(mutex);
  return currentBytes;
}

Outcome handleCopyToDeviceStreamDestroy(CopyToDeviceStreamDestroyArgs &args) {
  if (args.stream) {
    args.stream->values->close();
  }
  delete args.stream;
  return Done();
}

Outcome handleCopyToDeviceStreamAddChunk(CopyToDeviceStreamAddChunkArgs &args) {
  Chunk &chunk = *args.chunk;
  Outcome outcome =
      args.stream->values->add({static_cast<const std::byte *>(chunk.data), chunk.size});
  if (chunk.deleter) {
    chunk.deleter(chunk.data, chunk.deleterArg);
  }
  args.transferComplete = new Event{outcome ? completed() : completedWith(std::move(outcome))};
  return Done();
}

Outcome handleCopyToDeviceStreamTotalBytes(CopyToDeviceStreamTotalBytesArgs &args) {
  args.totalBytes = static_cast<int64_t>(args.stream->values->total());
  return Done();
}

Outcome handleCopyToDeviceStreamGranuleSize(CopyToDeviceStreamGranuleSizeArgs &args) {
  args.granuleSizeInBytes = 1;
  return Done();
}

Outcome handleCopyToDeviceStreamCurrentBytes(CopyToDeviceStreamCurrentBytesArgs &args) {
  args.currentBytes = static_cast<int64_t>(args.stream->values->current());
  return Done();
}

} // namespace drumlin::pjrt
