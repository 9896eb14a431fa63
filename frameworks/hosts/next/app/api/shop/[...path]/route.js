/** The handler as a route of Next. */

import { handler } from "../../../../../program.js";

export const dynamic = "force-dynamic";
export { handler as DELETE, handler as GET, handler as POST, handler as PUT };
