/** The state of a session after an action, by the rules of the protocol. Pure. */

import { ACTIVITY_BITS, type SessionAction, type SessionState, STATUS } from "./protocol.ts";

/** An action that matches nothing in the state changes nothing. */
export function reduceSession(state: SessionState, action: SessionAction): SessionState {
  switch (action.type) {
    case "session/ready":
      return { ...state, lifecycle: "ready" };
    case "session/chatUpdated":
      return {
        ...state,
        chats: state.chats.map((chat) =>
          chat.resource === action.chat ? { ...chat, ...action.changes, resource: chat.resource } : chat,
        ),
      };
    case "session/titleChanged":
      return { ...state, title: action.title };
    case "session/isReadChanged":
      return withBit(state, STATUS.isRead, action.isRead);
    case "session/isArchivedChanged":
      return withBit(state, STATUS.isArchived, action.isArchived);
    case "session/activeClientSet": {
      const { activeClient } = action;
      const { activeClients: known } = state;
      const isKnown = known.some(({ clientId }) => clientId === activeClient.clientId);
      const next = known.map((one) => (one.clientId === activeClient.clientId ? activeClient : one));
      return { ...state, activeClients: isKnown ? next : [...next, activeClient] };
    }
    case "session/activeClientRemoved": {
      const left = state.activeClients.filter(({ clientId }) => clientId !== action.clientId);
      return left.length === state.activeClients.length ? state : { ...state, activeClients: left };
    }
    case "session/inputNeededSet": {
      const { request } = action;
      const known = state.inputNeeded ?? [];
      const isKnown = known.some(({ id }) => id === request.id);
      const next = known.map((one) => (one.id === request.id ? request : one));
      return withInputNeeded(state, isKnown ? next : [...next, request]);
    }
    case "session/inputNeededRemoved": {
      const known = state.inputNeeded ?? [];
      const left = known.filter(({ id }) => id !== action.id);
      return left.length === known.length ? state : withInputNeeded(state, left);
    }
  }
}

function withBit(state: SessionState, bit: number, isSet: boolean): SessionState {
  return { ...state, status: isSet ? state.status | bit : state.status & ~bit };
}

/** When no question is left, the bit that asks for input is cleared, and the bit of a running turn stays. */
function withInputNeeded(state: SessionState, left: NonNullable<SessionState["inputNeeded"]>): SessionState {
  const { inputNeeded: _, ...rest } = state;
  if (left.length === 0)
    return { ...rest, status: state.status & ~(STATUS.inputNeeded & ~STATUS.inProgress) };
  return { ...rest, inputNeeded: left, status: (state.status & ~ACTIVITY_BITS) | STATUS.inputNeeded };
}
