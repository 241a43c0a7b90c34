// What a page of HTML holds, as tests look for it: anchors, links, elements.

export interface ReadPage {
  text: string;
  ids: string[];
  /** As they are written. */
  links: string[];
  /** Addresses of scripts, styles, pictures and frames. */
  loads: string[];
  elements: Set<string>;
  /** Attributes that run something. */
  handlers: string[];
}

export async function readPage(text: string): Promise<ReadPage> {
  const page: ReadPage = { text, ids: [], links: [], loads: [], elements: new Set(), handlers: [] };
  const rewriter = new HTMLRewriter().on('*', {
    element: (element) => {
      page.elements.add(element.tagName);
      for (const [name, value = ''] of element.attributes) {
        if (name === 'id') page.ids.push(unescaped(value));
        if (name === 'src' || (name === 'href' && element.tagName === 'link'))
          page.loads.push(unescaped(value));
        else if (name === 'href') page.links.push(unescaped(value));
        if (name.startsWith('on') || name === 'style') page.handlers.push(name);
      }
    },
  });
  await rewriter.transform(new Response(text)).text();
  return page;
}

function unescaped(text: string): string {
  const named = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (one) => named[one as keyof typeof named]);
}
