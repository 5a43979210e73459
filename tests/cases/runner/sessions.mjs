// Objects of the API, opened once for each distinct source and options.

/** As many stay open at once; the one unused for longest gives way. */
const kMostOpen = 6;

export class Sessions {
  #open = new Map();
  #refused = new Map();

  /**
   * `Class.create(options)`, or the object that the same key gave before. A failed creation is
   * thrown and not kept, unless the source was refused as unsupported: that would not change.
   * @param {{ create(options: object): Promise<{ destroy(): unknown }> }} Class
   * @param {unknown} key what tells this source from others
   * @param {() => Promise<object>} options for `create`; asked for only if it must be opened
   */
  async open(Class, key, options) {
    const id = `${Class.name} ${JSON.stringify(key)}`;
    const known = this.#open.get(id);
    if (known !== undefined) {
      this.#open.delete(id);
      this.#open.set(id, known);
      return known;
    }
    if (this.#refused.has(id)) throw this.#refused.get(id);
    const opened = await Class.create(await options()).catch((thrown) => {
      if (thrown?.code === 'unsupported') this.#refused.set(id, thrown);
      throw thrown;
    });
    this.#open.set(id, opened);
    if (this.#open.size > kMostOpen) await this.#closeOldest();
    return opened;
  }

  async #closeOldest() {
    const [id, oldest] = this.#open.entries().next().value;
    this.#open.delete(id);
    await oldest.destroy();
  }

  async closeAll() {
    while (this.#open.size > 0) await this.#closeOldest();
  }
}
