// Writes text with a compiled decode step, using only Drumlin's C interface.
//
//   generate IMAGE [--weights FILE.safetensors] [--vocabulary FILE] [--prompt TEXT] [--tokens N]
//            [--temperature T] [--seed N] [--threads N] [--show-tokens]
//
// --weights: only for an image whose weights were not bound when it was compiled. A temperature of
// 0 takes the likeliest token each time; --show-tokens then prints the token numbers, to be
// compared with expected.json.
#include "drumlin/runtime/drumlin.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

struct Options {
  std::string image, weights, prompt = "In the beginning",
                              vocabulary = "examples/tiny_llama/vocabulary.txt";
  int tokens = 160, threads = 0;
  float temperature = 0.7f;
  uint64_t seed = 1;
  bool showTokens = false;
};

[[noreturn]] static void fail(const std::string &text) {
  fflush(stdout);
  fprintf(stderr, "generate: %s\n", text.c_str());
  exit(1);
}

static void check(drumlin_error *error) {
  if (!error) {
    return;
  }
  fail(std::string(drumlin_error_code(error)) + ": " + drumlin_error_message(error) +
       "\n  remedy: " + drumlin_error_remedy(error));
}

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

static Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view flag = argv[i];
    auto value = [&]() -> const char * {
      if (i + 1 >= argc) {
        fail("a value is missing after " + std::string(flag));
      }
      return argv[++i];
    };
    if (flag == "--weights") {
      options.weights = value();
    } else if (flag == "--vocabulary") {
      options.vocabulary = value();
    } else if (flag == "--prompt") {
      options.prompt = value();
    } else if (flag == "--tokens") {
      options.tokens = atoi(value());
    } else if (flag == "--temperature") {
      options.temperature = strtof(value(), nullptr);
    } else if (flag == "--seed") {
      options.seed = strtoull(value(), nullptr, 10);
    } else if (flag == "--threads") {
      options.threads = atoi(value());
    } else if (flag == "--show-tokens") {
      options.showTokens = true;
    } else if (!flag.starts_with("--") && options.image.empty()) {
      options.image = flag;
    } else {
      fail("unknown option " + std::string(flag));
    }
  }
  if (options.image.empty()) {
    fail("usage: generate IMAGE [--prompt TEXT] [--tokens N] … (see the top of generate.cpp)");
  }
  return options;
}

// Reads the vocabulary: one piece per line, with `\n` for a line break.
static std::vector<std::string> readVocabulary(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::string> pieces;
  for (std::string line; std::getline(file, line);) {
    for (size_t at = 0; (at = line.find("\\n", at)) != std::string::npos;) {
      line.replace(at, 2, 1, '\n');
    }
    pieces.push_back(line);
  }
  if (pieces.empty()) {
    fail("can't read the vocabulary " + path);
  }
  return pieces;
}

// Converts a text to token numbers: at each position takes the longest matching piece, as in
// training.
static std::vector<int32_t> encode(std::string_view text,
                                   const std::vector<std::string> &vocabulary) {
  std::vector<int32_t> tokens;
  while (!text.empty()) {
    int32_t best = -1;
    for (size_t i = 0; i < vocabulary.size(); ++i) {
      if (text.starts_with(vocabulary[i]) &&
          (best < 0 || vocabulary[i].size() > vocabulary[best].size())) {
        best = int32_t(i);
      }
    }
    if (best < 0) {
      fail("the prompt holds a character that the vocabulary lacks: `" +
           std::string(text.substr(0, 1)) + "`");
    }
    tokens.push_back(best);
    text.remove_prefix(vocabulary[best].size());
  }
  return tokens;
}

// Maps a safetensors file and returns its arrays, which start after an 8-byte length and a header
// of that length. The arrays are in the order of the program's arguments, so their offsets follow
// from their sizes.
static const char *mapWeights(const std::string &path, size_t bytes) {
  int file = open(path.c_str(), O_RDONLY);
  struct stat state;
  if (file < 0 || fstat(file, &state) != 0 || state.st_size < 8) {
    fail("can't read the weights " + path);
  }
  void *start = mmap(nullptr, size_t(state.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (start == MAP_FAILED) {
    fail("can't map the weights " + path);
  }
  uint64_t header;
  memcpy(&header, start, sizeof header);
  if (header > uint64_t(state.st_size) - 8 || uint64_t(state.st_size) - 8 - header != bytes) {
    fail(path + " does not hold the " + std::to_string(bytes) +
         " bytes of weights that the program takes");
  }
  return static_cast<const char *>(start) + 8 + header;
}

static void *aligned(size_t bytes) {
  void *memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!memory) {
    fail("out of memory");
  }
  memset(memory, 0, bytes);
  return memory;
}

// Returns the next number in [0, 1) of SplitMix64 (Steele, Lea and Flood 2014).
static double random(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return double((z ^ z >> 31) >> 11) * 0x1p-53;
}

// Draws one of the 40 likeliest tokens, with probabilities sharpened by the temperature.
static int32_t sample(const float *logits, size_t count, float temperature, uint64_t &state) {
  std::vector<int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  size_t kept = std::min<size_t>(40, count);
  std::partial_sort(order.begin(), order.begin() + kept, order.end(), [&](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  std::vector<double> weight(kept);
  for (size_t i = 0; i < kept; ++i) {
    weight[i] = std::exp(double(logits[order[i]] - logits[order[0]]) / temperature);
  }
  double left = random(state) * std::accumulate(weight.begin(), weight.end(), 0.0);
  for (size_t i = 0; i < kept; ++i) {
    left -= weight[i];
    if (left < 0) {
      return order[i];
    }
  }
  return order[kept - 1];
}

// Measures how many bytes per second all threads together read from an array larger than any cache:
// the best of five passes.
static double readBandwidth(unsigned threads) {
  constexpr size_t wordsPerThread = (size_t(192) << 20) / sizeof(uint64_t);
  std::vector<std::vector<uint64_t>> blocks(threads, std::vector<uint64_t>(wordsPerThread, 1));
  std::vector<uint64_t> sums(threads);
  double best = 0;
  for (int pass = 0; pass < 5; ++pass) {
    double begin = now();
    std::vector<std::thread> running;
    for (unsigned t = 0; t < threads; ++t) {
      running.emplace_back(
          [&, t] { sums[t] = std::accumulate(blocks[t].begin(), blocks[t].end(), uint64_t(0)); });
    }
    for (std::thread &thread : running) {
      thread.join();
    }
    best = std::max(best, double(threads * wordsPerThread * sizeof(uint64_t)) / (now() - begin));
  }
  // Uses the sums, so that the compiler can't drop the reads.
  return std::accumulate(sums.begin(), sums.end(), uint64_t(0)) == threads * wordsPerThread ? best
                                                                                            : 0;
}

struct Program {
  drumlin_executable *executable = nullptr;
  std::vector<const void *> arguments;
  std::vector<void *> results;
  size_t position = 0, token = 0, cacheBegin = 0; // argument indices
  size_t context = 0, vocabulary = 0, weightBytes = 0, cacheBytes = 0;
};

// Loads a decode step. Results: the likeliest token, the logits, the cache. Arguments: the weights
// unless bound, the cache, position, token.
static Program load(const Options &options) {
  Program program;
  drumlin_load_options loading = {};
  loading.size = sizeof loading;
  loading.threads = uint32_t(options.threads);
  check(drumlin_load(options.image.c_str(), &loading, &program.executable));
  size_t arguments = drumlin_argument_count(program.executable),
         results = drumlin_result_count(program.executable);
  if (results < 3 || arguments < results) {
    fail(options.image + " is not a decode step");
  }
  program.cacheBegin = arguments - results;
  program.position = arguments - 2;
  program.token = arguments - 1;
  program.arguments.resize(arguments);
  drumlin_value value;
  for (size_t i = 0; i < program.cacheBegin; ++i) {
    drumlin_argument(program.executable, i, &value);
    program.weightBytes += value.bytes;
  }
  if (program.weightBytes > 0) {
    if (options.weights.empty()) {
      fail("this image takes its weights as arguments: give --weights");
    }
    const char *start = mapWeights(options.weights, program.weightBytes);
    for (size_t i = 0; i < program.cacheBegin; ++i) {
      drumlin_argument(program.executable, i, &value);
      program.arguments[i] = start;
      start += value.bytes;
    }
  } else {
    struct stat state;
    program.weightBytes =
        stat((options.image + ".weights").c_str(), &state) == 0 ? size_t(state.st_size) : 0;
  }
  for (size_t i = 0; i < results; ++i) {
    drumlin_result(program.executable, i, &value);
    program.results.push_back(aligned(value.bytes));
    if (i == 1) {
      program.vocabulary = value.bytes / sizeof(float);
    }
    if (i >= 2) { // the cache is updated in place: argument and result are the same memory
      program.arguments[program.cacheBegin + i - 2] = program.results[i];
      program.cacheBytes += value.bytes;
      program.context = value.rank > 1 ? size_t(value.dims[1]) : 0;
    }
  }
  program.arguments[program.position] = aligned(sizeof(int32_t));
  program.arguments[program.token] = aligned(sizeof(int32_t));
  return program;
}

static void step(Program &program, int32_t position, int32_t token) {
  memcpy(const_cast<void *>(program.arguments[program.position]), &position, sizeof position);
  memcpy(const_cast<void *>(program.arguments[program.token]), &token, sizeof token);
  check(drumlin_run(program.executable, program.arguments.data(), program.arguments.size(),
                    program.results.data(), program.results.size()));
}

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  std::vector<std::string> vocabulary = readVocabulary(options.vocabulary);
  std::vector<int32_t> tokens = encode(options.prompt, vocabulary);
  double loading = now();
  Program program = load(options);
  loading = now() - loading;
  if (program.vocabulary != vocabulary.size() || tokens.empty()) {
    fail("the vocabulary does not fit the program, or the prompt is empty");
  }

  size_t prompt = tokens.size(),
         wanted = std::min(prompt + size_t(std::max(1, options.tokens)), program.context);
  printf("%s", options.prompt.c_str());
  std::vector<double> seconds;
  for (size_t position = 0; position + 1 < wanted; ++position) {
    double begin = now();
    step(program, int32_t(position), tokens[position]);
    seconds.push_back(now() - begin);
    if (position + 1 < prompt) {
      continue;
    }
    auto *logits = static_cast<const float *>(program.results[1]);
    tokens.push_back(options.temperature > 0
                         ? sample(logits, program.vocabulary, options.temperature, options.seed)
                         : *static_cast<const int32_t *>(program.results[0]));
    printf("%s", vocabulary[size_t(tokens.back())].c_str());
    fflush(stdout);
  }
  printf("\n");
  if (options.showTokens) {
    printf("tokens:");
    for (size_t i = prompt; i < tokens.size(); ++i) {
      printf(" %d", tokens[i]);
    }
    printf("\n");
  }

  std::sort(seconds.begin(), seconds.end());
  double median = seconds[seconds.size() / 2];
  unsigned threads = options.threads > 0 ? unsigned(options.threads)
                                         : std::max(1u, std::thread::hardware_concurrency());
  double bandwidth = readBandwidth(threads),
         touched = double(program.weightBytes + program.cacheBytes);
  fprintf(stderr, "\nloaded in %.1f ms; %zu steps, median %.1f us: %.0f tokens/s\n", loading * 1e3,
          seconds.size(), median * 1e6, 1 / median);
  fprintf(stderr,
          "a step reads %.2f MB (weights %.2f, cache %.2f): %.1f GB/s, %.0f %% of the %.1f GB/s "
          "that %u threads "
          "read from memory%s\n",
          touched / 1e6, double(program.weightBytes) / 1e6, double(program.cacheBytes) / 1e6,
          touched / median / 1e9, 100 * touched / median / bandwidth, bandwidth / 1e9, threads,
          touched < 8e6 ? " (so small a model stays in the processor's caches, which are faster)"
                        : "");
  drumlin_free(program.executable);
  return 0;
}
