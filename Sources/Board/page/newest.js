// Answers to questions that are asked again and again. They may come in another order than the questions went out.

/** Of several questions about the same thing, only the answer to the newest counts: it knows what changed meanwhile. */
export class Newest {
  #turn = 0;

  /**
   * Calls `show` with what the server answers, unless a newer question or `forget` came meanwhile. Gives whether it did.
   *
   * @param {Promise} answer what fails is thrown, if it is the newest.
   */
  async show(answer, show) {
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const answered = await answer;
      if (turn !== this.#turn) return false;
      show(answered);
      return true;
    } catch (error) {
      if (turn === this.#turn) throw error;
      return false;
    }
  }

  /** What was asked until now counts no more. */
  forget() {
    this.#turn += 1;
  }
}
