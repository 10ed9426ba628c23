// A list in a module. Readers allocate a list's items in the module's arena, which outlives the
// list. The items of a copied list, and of a list that outgrows its arena memory, are on the heap.
#pragma once

#include "drumlin/support/Arena.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>

namespace drumlin::hlo {

template <typename T> class List {
public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  List() = default;
  List(std::initializer_list<T> items) { append(items.begin(), items.end()); }
  template <typename Iterator> List(Iterator first, Iterator last) { append(first, last); }
  List(const List &from) { append(from.begin(), from.end()); }
  List(List &&from) noexcept { take(from); }
  List &operator=(const List &from) { return *this = List(from); }
  List &operator=(List &&from) noexcept {
    if (this != &from) {
      free();
      take(from);
    }
    return *this;
  }
  ~List() { free(); }

  T *begin() { return items; }
  T *end() { return items + count; }
  const T *begin() const { return items; }
  const T *end() const { return items + count; }
  auto rbegin() const { return std::reverse_iterator(end()); }
  auto rend() const { return std::reverse_iterator(begin()); }
  T *data() { return items; }
  const T *data() const { return items; }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T &operator[](size_t place) { return items[place]; }
  const T &operator[](size_t place) const { return items[place]; }
  T &front() { return items[0]; }
  const T &front() const { return items[0]; }
  T &back() { return items[count - 1]; }
  const T &back() const { return items[count - 1]; }

  // Reserve memory for `total` items: on the heap or, if given, in the arena. A list whose memory
  // is too small moves its items to new memory.
  void reserve(size_t total) {
    if (total > room) {
      move(std::allocator<T>().allocate(total), total, false);
    }
  }
  void reserve(size_t total, Arena &arena) {
    if (room == 0) { // usually the list is new
      items = arena.allocate<T>(total);
      room = static_cast<uint32_t>(total);
      isBorrowed = 1;
    } else if (total > room) {
      move(arena.allocate<T>(total), total, true);
    }
  }
  template <typename... Arguments> T &emplace_back(Arguments &&...arguments) {
    if (count == room) {
      grow();
    }
    T *item = new (items + count) T(std::forward<Arguments>(arguments)...);
    ++count;
    return *item;
  }
  void push_back(T item) { emplace_back(std::move(item)); }
  T *insert(const T *before, T item) {
    auto place = before - items;
    push_back(std::move(item));
    std::rotate(items + place, end() - 1, end());
    return items + place;
  }
  T *erase(const T *first, const T *last) {
    T *to = items + (first - items);
    T *rest = std::move(items + (last - items), end(), to);
    shrink(static_cast<size_t>(rest - items));
    return to;
  }
  T *erase(const T *item) { return erase(item, item + 1); }
  // Erases the items that satisfy the predicate. Returns the number of erased items.
  template <typename Predicate> size_t eraseIf(Predicate predicate) {
    size_t before = count;
    shrink(static_cast<size_t>(std::remove_if(begin(), end(), predicate) - begin()));
    return before - count;
  }
  // Moves the items to a list in the arena. This list becomes empty, but keeps its memory.
  List moveTo(Arena &arena) {
    List moved;
    moved.reserve(count, arena);
    std::uninitialized_move(items, items + count, moved.items);
    moved.count = count;
    clear();
    return moved;
  }
  void pop_back() { shrink(count - 1); }
  void resize(size_t total) {
    reserve(total);
    shrink(std::min<size_t>(count, total));
    while (count < total) {
      emplace_back();
    }
  }
  void clear() { shrink(0); }

  bool operator==(const List &other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

private:
  template <typename Iterator> void append(Iterator first, Iterator last) {
    reserve(static_cast<size_t>(std::distance(first, last)));
    for (; first != last; ++first) {
      emplace_back(*first);
    }
  }
  void grow() {
    constexpr size_t few = 1;
    reserve(std::max(size_t(2) * room, few));
  }
  void shrink(size_t total) {
    std::destroy(items + total, items + count);
    count = static_cast<uint32_t>(total);
  }
  void move(T *to, size_t newRoom, bool nowBorrowed) {
    std::uninitialized_move(items, items + count, to);
    std::destroy(items, items + count);
    release();
    items = to;
    room = static_cast<uint32_t>(newRoom);
    isBorrowed = nowBorrowed;
  }
  void release() {
    if (room != 0 && !isBorrowed) {
      std::allocator<T>().deallocate(items, room);
    }
  }
  void take(List &from) {
    items = std::exchange(from.items, nullptr);
    count = std::exchange(from.count, 0);
    room = from.room;
    isBorrowed = from.isBorrowed;
    from.room = 0;
  }
  void free() {
    shrink(0);
    release();
    items = nullptr;
    room = 0;
  }

  T *items = nullptr;
  uint32_t count = 0;
  uint32_t room : 31 = 0;
  uint32_t isBorrowed : 1 = 0; // the items are in an arena
};

} // namespace drumlin::hlo
