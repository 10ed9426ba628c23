#include "drumlin/runtime/collectives/Rendezvous.h"

#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <cstring>
#include <new>

namespace drumlin {

PreparedExchange prepareExchange(ExchangeTable table, size_t meeting) {
  PreparedExchange made;
  for (int64_t process = 0; process < table.processes; ++process) {
    made.givers.push_back(table.giversOf(process));
  }
  made.takers.resize(made.givers.size());
  for (size_t taker = 0; taker < made.givers.size(); ++taker) {
    for (int64_t giver : made.givers[taker]) {
      made.takers[static_cast<size_t>(giver)].push_back(static_cast<int64_t>(taker));
    }
  }
  made.table = std::move(table);
  made.meeting = meeting;
  return made;
}

Rendezvous::Rendezvous(GridShape grid, size_t meetings)
    : shape(grid), processes(static_cast<size_t>(grid.processes())),
      arrivals(meetings * processes.size()), running(processes.size()) {}

//===-- waiting -------------------------------------------------------------------------------===//

static std::string placeOf(const HostCall &call) {
  bool isReceipt = call.interface == HostInterface::Recv;
  return isReceipt ? "recv on channel " + call.target : call.target;
}

// Waits until `missing` calls of countDown() have arrived; false if the run has failed.
bool Rendezvous::wait(std::unique_lock<std::mutex> &lock, int64_t process, size_t missing,
                      const void *waitsFor, const HostCall &call) {
  Process &self = at(process);
  if (missing != 0 && !failure) {
    self.missing = missing;
    self.waitsFor = waitsFor;
    self.place = placeOf(call);
    ++waiting;
    failWhereBlocked();
    self.woken.wait(lock, [&] { return self.missing == 0 || failure; });
  }
  return !failure;
}

void Rendezvous::countDown(int64_t process, const void *waitsFor) {
  Process &other = at(process);
  if (other.missing == 0 || other.waitsFor != waitsFor) {
    return;
  }
  --other.missing;
  if (other.missing == 0) {
    --waiting;
    other.woken.notify_one();
  }
}

void Rendezvous::fail(Diagnostic diagnostic) {
  if (failure) {
    return;
  }
  failure = std::move(diagnostic);
  for (Process &process : processes) {
    process.woken.notify_one();
  }
}

void Rendezvous::failWhereBlocked() {
  if (failure || running == 0 || waiting != running) {
    return;
  }
  std::string message = "no process can go on:";
  size_t named = 0;
  for (size_t i = 0; i < processes.size() && named < 4; ++i) {
    if (processes[i].missing != 0) {
      message += (named++ == 0 ? " " : ", ") + ProcessId::of(static_cast<int64_t>(i), shape).str() +
                 " waits in " + processes[i].place;
    }
  }
  fail(diagnose(errors::ProcessesBlocked, std::move(message)));
}

void Rendezvous::end(int64_t, const Status &status) {
  std::unique_lock lock(mutex);
  --running;
  try {
    if (!status) {
      fail(status.error());
    }
    failWhereBlocked();
  } catch (const std::bad_alloc &) { // the other processes must still get an error
    fail(outOfMemory());
  }
}

//===-- exchanges -----------------------------------------------------------------------------===//

// Waits until all processes that give operands to this process have arrived.
bool Rendezvous::waitForGivers(std::unique_lock<std::mutex> &lock, int64_t process,
                               const PreparedExchange &exchange, const HostCall &call) {
  uint64_t visit = arrivalAt(exchange.meeting, process).visits;
  size_t missing = 0;
  for (int64_t giver : exchange.givers[static_cast<size_t>(process)]) {
    missing += arrivalAt(exchange.meeting, giver).visits < visit ? 1 : 0;
  }
  return wait(lock, process, missing, &arrivalAt(exchange.meeting, process).visits, call);
}

Status Rendezvous::exchange(int64_t process, const PreparedExchange &exchange, const HostCall &call,
                            HostBuffers operands, HostBuffers results) {
  std::unique_lock lock(mutex);
  if (failure) {
    return *failure;
  }
  auto number = static_cast<size_t>(process);
  Arrival &own = arrivalAt(exchange.meeting, process);
  own.operands = operands;
  own.missingTakers = exchange.takers[number].size();
  ++own.visits;
  for (int64_t taker : exchange.takers[number]) {
    if (Arrival &other = arrivalAt(exchange.meeting, taker); other.visits == own.visits) {
      countDown(taker, &other.visits);
    }
  }
  Status status = Done();
  if (waitForGivers(lock, process, exchange, call)) {
    for (int64_t giver : exchange.givers[number]) {
      ++arrivalAt(exchange.meeting, giver).copying;
    }
    lock.unlock();
    status = takeOperands(call, exchange.table, process, operands, results, [&](int64_t giver) {
      return arrivalAt(exchange.meeting, giver).operands;
    });
    lock.lock();
    for (int64_t giver : exchange.givers[number]) {
      Arrival &arrival = arrivalAt(exchange.meeting, giver);
      --arrival.missingTakers;
      countDown(giver, &arrival.missingTakers);
      if (--arrival.copying == 0 && failure) {
        at(giver).woken.notify_one();
      }
    }
  }
  wait(lock, process, own.missingTakers, &own.missingTakers, call);
  // If the run has failed, waits for the processes that are still reading the operands.
  at(process).woken.wait(lock, [&] { return own.copying == 0; });
  return !status ? status : failure ? Status(*failure) : Done();
}

//===-- channels ------------------------------------------------------------------------------===//

static size_t bytesOf(const HostValue &value) {
  return value.isToken() ? 0 : static_cast<size_t>(byteCount(*value.type, value.shape).value_or(0));
}

Status Rendezvous::send(int64_t process, int64_t to, const HostCall &call, HostBuffers operands) {
  Payload payload;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    size_t bytes = bytesOf(call.operands[i]);
    if (call.operands[i].isToken()) {
      continue;
    }
    std::optional<AlignedMemory> memory = AlignedMemory::allocate(bytes);
    if (!memory) {
      return diagnose(errors::OutOfMemory,
                      "no memory for the values sent on channel " + call.target);
    }
    if (bytes != 0) {
      std::memcpy(memory->data(), operands[i], bytes);
    }
    payload.emplace_back(std::move(*memory), bytes);
  }
  std::unique_lock lock(mutex);
  Queue &queue = queueOf(call, process, to);
  queue.push_back(std::move(payload));
  countDown(to, &queue);
  return Done();
}

Status Rendezvous::receive(int64_t process, int64_t from, const HostCall &call,
                           HostBuffers results) {
  Payload payload;
  {
    std::unique_lock lock(mutex);
    Queue &queue = queueOf(call, from, process);
    if (!wait(lock, process, queue.empty() ? 1 : 0, &queue, call)) {
      return *failure;
    }
    payload = std::move(queue.front());
    queue.pop_front();
  }
  size_t next = 0;
  for (size_t i = 0; i < call.results.size(); ++i) {
    if (call.results[i].isToken()) {
      continue;
    }
    size_t bytes = bytesOf(call.results[i]);
    if (next == payload.size() || payload[next].second != bytes) {
      return diagnose(errors::ProcessGridMismatch, "the values received on channel " + call.target +
                                                       " have other sizes than those sent");
    }
    if (bytes != 0) {
      std::memcpy(results[i], payload[next].first.data(), bytes);
    }
    ++next;
  }
  return Done();
}

} // namespace drumlin
