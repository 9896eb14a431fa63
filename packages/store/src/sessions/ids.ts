/** Ids of events and owners: UUIDv7. */

import { createIds } from "@continuo/core/model";

export const newId: () => string = createIds({
  now: () => Date.now(),
  random: (bytes) => void crypto.getRandomValues(bytes),
});
