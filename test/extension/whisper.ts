/**
 * A stand-in for transformers.js and a Whisper model: it reads the file of its model as the library does, and hears if there is
 * a sound.
 */

const LIBRARY = `
  export const env = { backends: { onnx: { wasm: {} } } };
  export async function pipeline(task, model) {
    if (task !== "automatic-speech-recognition") throw new Error("unknown task " + task);
    if (env.allowRemoteModels !== false) throw new Error("a model may come from elsewhere");
    const answer = await fetch(env.localModelPath + model + "/config.json");
    const { word } = await answer.json();
    let count = 0;
    return async (samples, { language }) => {
      const isLoud = samples instanceof Float32Array && samples.some((sample) => sample > 0.1);
      return { text: isLoud ? " [BLANK_AUDIO] " + word + " " + ++count + " " + language : "silence" };
    };
  }
`;

/** The files that a person puts into the folder of the extension. */
export const WHISPER: Readonly<Record<string, string>> = {
  "whisper/transformers.min.js": LIBRARY,
  "whisper/model/config.json": JSON.stringify({ word: "whispered" }),
};
