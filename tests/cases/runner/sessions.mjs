// Objects of the API, opened once for each class, distinct source and options.

/** As many stay open at once; the one unused for longest gives way. */
const kMostOpen = 6;

export class Sessions {
  /**
   * @type {{ Class: object, key: string, opened: { destroy(): unknown } }[]} longest unused first
   */
  #open = [];
  #refused = [];

  /**
   * `Class.create(options)`, or the object that the same class and key gave before. A failed
   * creation is thrown and not kept, unless the source was refused as unsupported: that would not
   * change.
   * @param {{ create(options: object): Promise<{ destroy(): unknown }> }} Class
   * @param {unknown} source what tells this source from others
   * @param {() => Promise<object>} options for `create`; asked for only if it must be opened
   */
  async open(Class, source, options) {
    const key = JSON.stringify(source);
    const same = (entry) => entry.Class === Class && entry.key === key;
    const refused = this.#refused.find(same);
    if (refused !== undefined) throw refused.thrown;
    const at = this.#open.findIndex(same);
    const entry = at < 0 ? await this.#create(Class, key, options) : this.#open.splice(at, 1)[0];
    this.#open.push(entry);
    if (this.#open.length > kMostOpen) await this.#closeOldest();
    return entry.opened;
  }

  async #create(Class, key, options) {
    try {
      return { Class, key, opened: await Class.create(await options()) };
    } catch (thrown) {
      if (thrown?.code === 'unsupported') this.#refused.push({ Class, key, thrown });
      throw thrown;
    }
  }

  async #closeOldest() {
    await this.#open.shift().opened.destroy();
  }

  async closeAll() {
    while (this.#open.length > 0) await this.#closeOldest();
  }
}
