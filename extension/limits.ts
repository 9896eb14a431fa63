/** Every limit and every time of the extension. */

export const LIMITS = {
  /** UTF-16 units of a video's id, a title, an address, one caption, one remark. */
  idChars: 500,
  titleChars: 200,
  urlChars: 20_000,
  textChars: 4_000,
  /** The amount that a page may give to the extension at once, and in ten seconds; the rest is counted and dropped. */
  itemsPerMessage: 50,
  captionsPerTenSeconds: 100,
  /** The interval at which the page is examined, and at which the engine learns the position of the video. */
  lookMs: 500,
  positionMs: 1_000,
  /** A page that reported no position for this time plays nothing. */
  stalePositionMs: 5_000,
  /** A source that gave nothing for this time is not shown as one that works; what it gave is counted for a minute. */
  freshMs: 30_000,
  countedMs: 60_000,
  /** A video counts as another one when it was seen this number of times in a row. */
  steadyLooks: 3,
  /** Videos of a page that are compared, and text tracks of a video. */
  videosPerPage: 50,
  /** Sites of frames that may have a video, and how large such a frame is at least. */
  framesPerPage: 3,
  frameWidth: 200,
  frameHeight: 100,
  tracks: 20,
  cuesPerTrack: 20_000,
  /** Captions of a video that are listed as a whole, those of one item, their length, and how far a script's list must reach. */
  listedCues: 10_000,
  cuesPerItem: 500,
  listedChars: 1_000,
  completeShare: 0.8,
  /** Texts of a player that are looked at for captions, and the length of one line of them. */
  textsPerLook: 300,
  captionChars: 200,
  /** Cues that a page remembers as heard. */
  heardCues: 1_000,
  /** A tab without a video for this time has left it. */
  withoutVideoMs: 10_000,
  /** A page that shows another video often has the old title for so long. */
  titleMs: 3_000,
  /** Before a message that was not stored is sent again. */
  firstRetryMs: 250,
  longestRetryMs: 5_000,
  /** Items that a page keeps until they are stored. */
  unstoredItems: 1_000,

  /** Longest side of a frame and of its thumbnail, in pixels, and the quality of both. */
  framePixels: 640,
  thumbnailPixels: 160,
  pictureQuality: 0.7,
  /** Base64 of a picture or of a piece of audio. */
  pictureChars: 700_000,
  audioBytes: 10_000_000,
  frameEveryMs: 10_000,
  shortestFrameEveryMs: 1_000,
  /** Two frames of a higher likeness show the same. */
  sameFrame: 0.995,

  /** Frames that wait: offline, and while the session is degraded. */
  offlineFrames: 300,
  degradedFrames: 20,
  /** A request for access, the time between two looks at its answer, and between two looks at a server that does not work. */
  accessMs: 5_000,
  accessPollMs: 1_000,
  serverCheckMs: 5_000,

  /** Evidence of one batch, and the share of the browser's quota from which the panel warns. */
  batchItems: 50,
  quotaWarning: 0.8,
  quotaEveryMs: 30_000,

  /** Tabs of former windows that are remembered, and for how long. */
  savedTabs: 500,
  savedTabMs: 1_209_600_000,

  /** The live line: pieces that are joined, sentences that are shown, and how long one stays after its last word. */
  linePieces: 80,
  lineSentences: 3,
  lineLateMs: 2_500,

  /** Bounds of the view of the side panel. */
  shownEvidence: 2_000,
  shownSessions: 100,
  readSessions: 2_000,
  shownNotes: 500,
  /** Markers of the timeline are at least 24 px apart in a panel of 320 px: notes in between have none. */
  markerShare: 0.085,
  /** Notes that the panel receives whole, and as many more each time that somebody wants earlier ones. */
  notesAtOnce: 50,
  markerChars: 80,
  viewEveryMs: 100,
  /** Between two reads of an outline: of one that is there, and of one that is expected. */
  outlineEveryMs: 10_000,
  outlineSoonMs: 500,
  /** A chapter of which so much was heard counts as watched: the last words of a video are often left out. */
  watchedShare: 0.9,

  /** Loudness (root mean square) from which there is speech, and how long a silence ends it. */
  speechLevel: 0.02,
  silenceMs: 700,
  shortestSpeechMs: 250,
  longestSpeechMs: 30_000,
  /** A recording in which nobody speaks begins again, so that a segment has a little of what came before it. */
  leadMs: 2_000,
  loudnessEveryMs: 50,
  /** A larger step of the video between two looks is a jump: a recording ends before it. */
  jumpMs: 5_000,
} as const;
