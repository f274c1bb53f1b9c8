import { expect, type Locator, type Page, type BrowserContext } from './playwright';

/** The demo's board in one tab, as a person uses it. */
export class BoardPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async add(title: string): Promise<void> {
    await this.page.getByLabel('New task').fill(title);
    await this.page.getByRole('button', { name: 'Add', exact: true }).click();
  }

  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  task(title: string): Locator {
    return this.page.locator('#tasks li').filter({ has: this.page.locator('.title', { hasText: title }) });
  }

  /** The board shows exactly these tasks, each once and settled with the server. */
  async shouldShow(titles: readonly string[]): Promise<void> {
    await expect
      .poll(async () => (await this.titles()).toSorted(), { timeout: 20_000 })
      .toEqual([...titles].toSorted());
    await expect
      .poll(() => this.page.locator('#tasks .badge:not(.synced)').count(), { timeout: 20_000 })
      .toBe(0);
  }

  async titles(): Promise<string[]> {
    return this.page.locator('#tasks .title').allTextContents();
  }

  async fact(name: string): Promise<string> {
    return (await this.page.locator(`[data-fact="${name}"]`).textContent()) ?? '';
  }

  async shouldTell(fact: string, value: string): Promise<void> {
    await expect.poll(() => this.fact(fact), { timeout: 20_000 }).toBe(value);
  }
}

export async function openBoard(context: BrowserContext, url: string): Promise<BoardPage> {
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('#connection.connected').waitFor({ timeout: 20_000 });
  return new BoardPage(page);
}
