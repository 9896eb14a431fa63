/** The minimal list of 10,000 rows: only visible rows are in the page, each with one text and the same height. */

export const BARE_LIST: string = `<!doctype html>
<style>
  body { margin: 0; font: 15px/34px sans-serif; }
  .scroller { height: 800px; overflow: auto; }
  .rows { position: relative; height: ${34 * 10_000}px; }
  .rows div { position: absolute; left: 0; right: 0; height: 34px; }
</style>
<div class="scroller"><div class="rows"></div></div>
<script>
  const [scroller, rows] = [document.querySelector(".scroller"), document.querySelector(".rows")];
  const draw = () => {
    const first = Math.floor(scroller.scrollTop / 34);
    rows.replaceChildren(...Array.from({ length: 30 }, (_, at) => {
      const row = document.createElement("div");
      row.textContent = "Session number " + (first + at);
      row.style.transform = "translateY(" + 34 * (first + at) + "px)";
      return row;
    }));
  };
  scroller.addEventListener("scroll", draw);
  draw();
</script>`;
