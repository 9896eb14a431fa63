/** Every limit and every time of the extension. */

export const LIMITS = {
  /** UTF-16 units of the id of a video. */
  idChars: 500,
  /** UTF-16 units of the id of an item. */
  itemIdChars: 200,
  titleChars: 200,
  urlChars: 20_000,
  /** UTF-16 units of one caption, and of one remark. */
  textChars: 4_000,
  /** Items that a page may send at once. */
  itemsPerMessage: 50,
  /** Captions, frames and stops of the video; those above this number are dropped. */
  captionsPerTenSeconds: 100,
  /** The interval at which the page is examined. */
  lookMs: 500,
  /**
   * Captions that a page draws are examined each time the text of the player changes, but at most once in this time.
   */
  drawnLookMs: 50,
  /** The interval at which the page reports the position of its video. */
  positionMs: 1_000,
  /** A page that reported no position for this time counts as not playing. */
  stalePositionMs: 5_000,
  /** A source that gave nothing for this time is no longer shown as working. */
  freshMs: 30_000,
  /** The number of a source's items is counted over this time. */
  countedMs: 60_000,
  /** A video counts as a new one when it was seen this number of times in a row. */
  steadyLooks: 3,
  /** Videos of a page that are compared to find the one that is watched. */
  videosPerPage: 50,
  /** Sites of iframes that may have a video. */
  framesPerPage: 3,
  /** The smallest width, in pixels, of an iframe that may have a video. */
  frameWidth: 200,
  /** The smallest height, in pixels, of an iframe that may have a video. */
  frameHeight: 100,
  /** Text tracks of one video that are read. */
  tracks: 20,
  cuesPerTrack: 20_000,
  /** Captions of a whole video that are listed. */
  listedCues: 10_000,
  /** Captions of one item. */
  cuesPerItem: 500,
  /** UTF-16 units of one listed caption. */
  listedChars: 1_000,
  /** A list of captions counts as complete if it reaches this share of the video. */
  completeShare: 0.8,
  /** Texts of a player that are examined at once to find captions. */
  textsPerLook: 300,
  /** UTF-16 units of one line of a caption that the player shows. */
  captionChars: 200,
  /** Captions that a page remembers as heard. */
  heardCues: 1_000,
  /** The session of a tab ends when the tab has had no video for this time. */
  withoutVideoMs: 10_000,
  /** After another video begins, the page often keeps the old title for this time. */
  titleMs: 3_000,
  /** The first pause before a message that was not stored is sent again. */
  firstRetryMs: 250,
  longestRetryMs: 5_000,
  /** Items that a page keeps until they are stored. */
  unstoredItems: 1_000,

  /** The longest side of a frame, in pixels. */
  framePixels: 640,
  /** The longest side of a thumbnail, in pixels. */
  thumbnailPixels: 160,
  /** The JPEG quality of frames and thumbnails. */
  pictureQuality: 0.7,
  /** Characters of a picture as base64. */
  pictureChars: 700_000,
  audioBytes: 10_000_000,
  frameEveryMs: 10_000,
  shortestFrameEveryMs: 1_000,
  /**
   * A frame that the person requests waits while another one is captured: the number of checks, and the pause between
   * two.
   */
  captureLooks: 40,
  captureLookMs: 50,
  /** Two frames count as equal if their similarity is at least this. */
  sameFrame: 0.995,

  /** The time limit to read the text of one picture. The items after the picture wait until then. */
  readTextMs: 30_000,
  /** After a failure, no text is read in pictures, and Whisper transcribes nothing, for this time. */
  readTextPauseMs: 60_000,
  /** The reader frees its memory when no picture came for this time. */
  readTextIdleMs: 60_000,
  /** While more than this number of items wait, pictures are sent without their text. */
  readTextWaiting: 20,
  /** The time limit to transcribe one recording with Whisper on this machine, and to load one file of Whisper. */
  whisperMs: 120_000,
  /** A model is large, so it is freed when nobody spoke for this time. */
  whisperIdleMs: 600_000,
  /** The largest size in bytes of one file of Whisper from a server, and the largest number of such files. */
  whisperFileBytes: 400_000_000,
  whisperFiles: 100,
  /** The interval at which a server without Whisper is asked again. */
  whisperLookMs: 5_000,
  /** UTF-16 units of the text of one picture. */
  readTextChars: 2_000,
  /** The least confidence of a word, and the least mean confidence of the words of a line, from 0 to 100. */
  sureWord: 60,
  sureLine: 75,

  /** Frames that wait while the server cannot be reached. */
  offlineFrames: 300,
  /** Frames that wait while the session is degraded. */
  degradedFrames: 20,
  /** The time limit of one request about access. */
  accessMs: 5_000,
  /** The interval at which the extension asks if the person has given access. */
  accessPollMs: 1_000,
  /** The extension stops asking when the server has not answered for this time. */
  accessAwayMs: 60_000,
  /** The interval at which an open panel asks whether its server knows its token. */
  serverCheckMs: 5_000,

  /** Pieces of evidence of one batch. */
  batchItems: 50,
  /** The panel warns from this share of the browser's quota on. */
  quotaWarning: 0.8,
  quotaEveryMs: 30_000,

  /** Tabs of closed windows that are remembered. */
  savedTabs: 500,
  /** Tabs of closed windows are remembered for this time. */
  savedTabMs: 1_209_600_000,

  /** Pieces of speech that the live line joins into sentences. */
  linePieces: 80,
  lineSentences: 3,
  /** A sentence stays in the live line for this time after its last word. */
  lineLateMs: 2_500,

  shownEvidence: 2_000,
  shownSessions: 100,
  /** Sessions that are read from the server to find the newest ones. */
  readSessions: 2_000,
  shownNotes: 500,
  /** UTF-16 units of sessions that the panel keeps for the next search; the others are read again. */
  searchedChars: 4_000_000,
  /** While a session is being recorded, the search reads the session again after this time. */
  searchedAgainMs: 10_000,
  /** The smallest distance between two markers, as a share of the timeline: at least 24 px in a panel of 320 px. */
  markerShare: 0.085,
  /** Notes that the panel receives at first, and with each request for earlier ones. */
  notesAtOnce: 50,
  markerChars: 80,
  viewEveryMs: 100,
  /** The interval at which an outline is read again. */
  outlineEveryMs: 10_000,
  /** The interval at which an outline is read while it is expected. */
  outlineSoonMs: 500,
  /**
   * Two videos are related if their titles have at least this number of words in common, and if these words are at
   * least this share of the shorter title.
   */
  relatedWords: 2,
  relatedShare: 0.6,
  /** A note can be shown with a frame that was captured at most this time before the note begins. */
  noteFrameMs: 10_000,
  /** The price of an hour is shown when the session has lasted for this time. */
  priceAfterMs: 300_000,
  /** The interval at which a server without note writers is asked again. */
  offersEveryMs: 5_000,
  /** The largest number of remarks that are shown before they are part of a note. */
  shownRemarks: 20,
  /** The citations that are shown for an item of the page, and the shortest time between two. */
  citations: 3,
  citationApartMs: 5_000,
  /** A chapter counts as watched from this share on, because the last words of a video are often not heard. */
  watchedShare: 0.9,

  /** Sound counts as speech if its loudness (root mean square) is at least this. */
  speechLevel: 0.02,
  /** A silence of this length ends a piece of speech. */
  silenceMs: 700,
  shortestSpeechMs: 250,
  longestSpeechMs: 30_000,
  /** A recording without speech begins again after this time, so that a segment has little silence before its speech. */
  leadMs: 2_000,
  loudnessEveryMs: 50,
  /** When the recognition of speech stops, the browser has this time to return the last words. */
  lastWordsMs: 2_000,
  /** The interval at which the extension asks again whether the browser recognises a language on this machine. */
  localSpeechEveryMs: 5_000,
  /** A larger step of the position between two examinations is a jump: the recording ends before it. */
  jumpMs: 5_000,
} as const;
