// What most kinds of cases begin with: the model's files, and an object of the API for them.

/**
 * @param {{ create(options: object): Promise<{ destroy(): unknown }> }} Class
 * @returns the files; the options that are the call's; and `open`, which gives the object
 */
export async function opening(Class, { model, files: overlay, options }, { suite, sources, sessions }) {
  // `weights` names a graph that the overlay has put in the place of model.safetensors.
  const { precision = 'float32', weights: _inOverlay, ...callOptions } = options;
  const files = await sources.modelFiles(suite.folder, model, overlay);
  const key = [suite.folder, model, overlay, precision];
  const open = () => sessions.open(Class, key, async () => ({ model: files, precision }));
  return { files, callOptions, open };
}
