// A list of rows of equal height. Only the visible rows have elements.
class VirtualList {
  // `make(row, index)` creates a row's element.
  constructor(root, rowHeight, make) {
    this.root = root;
    this.rowHeight = rowHeight;
    this.make = make;
    this.rows = [];
    this.inner = element("div", "rows", [], { role: "presentation" });
    root.append(this.inner);
    root.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(root);
  }

  show(rows) {
    this.rows = rows;
    this.inner.style.height = rows.length * this.rowHeight + "px";
    this.draw(true);
  }

  draw(changed = false) {
    const beyond = 8; // extra rows above and below, so that scrolling doesn't show gaps
    const first = Math.max(0, Math.floor(this.root.scrollTop / this.rowHeight) - beyond);
    const last = Math.min(this.rows.length, Math.ceil((this.root.scrollTop + this.root.clientHeight) / this.rowHeight) + beyond);
    if (!changed && first === this.first && last === this.last) {
      return;
    }
    [this.first, this.last] = [first, last];
    const made = [];
    for (let index = first; index < last; ++index) {
      const row = this.make(this.rows[index], index);
      row.style.top = index * this.rowHeight + "px";
      made.push(row);
    }
    this.inner.replaceChildren(...made);
  }

  scrollTo(index) {
    const top = index * this.rowHeight, height = this.root.clientHeight;
    if (top < this.root.scrollTop + this.rowHeight || top > this.root.scrollTop + height - 2 * this.rowHeight) {
      this.root.scrollTop = Math.max(0, top - height / 3);
    }
    this.draw(true);
  }
}
