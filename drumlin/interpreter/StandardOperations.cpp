#include "drumlin/interpreter/StandardOperations.h"

#include "drumlin/interpreter/Handlers.h"

namespace drumlin {

static InterpreterTable makeStandardOperations() {
  InterpreterTable table;
  interpreter::addElementwiseHandlers(table);
  interpreter::addShapeHandlers(table);
  interpreter::addContractionHandlers(table);
  interpreter::addReductionHandlers(table);
  interpreter::addControlHandlers(table);
  interpreter::addDynamicHandlers(table);
  interpreter::addLegacyHandlers(table);
  interpreter::addMatrixHandlers(table);
  interpreter::addRandomHandlers(table);
  interpreter::addQuantizeHandlers(table);
  interpreter::addCollectiveHandlers(table);
  interpreter::addCommunicationHandlers(table);
  interpreter::addCallHandlers(table);
  interpreter::addChloHandlers(table);
  return table;
}

const InterpreterTable &standardOperations() {
  static const InterpreterTable table = makeStandardOperations();
  return table;
}

} // namespace drumlin
