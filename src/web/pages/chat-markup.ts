// The chat as the server sends it: an empty log and a form, both the script's to fill and to read.
import { chatLimits } from '../../audience/chat/chat-limits.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { id } from './page-ids.ts';
import type { PageTexts } from './texts-en.ts';

const { chatCharactersMax, nickCharactersMax } = chatLimits;

export function chatMarkup(texts: PageTexts, isOpen: boolean): Html {
  return html`<section ${id('chat')} class="card" aria-label="${texts.chat}" data-open="${String(isOpen)}">
<h2>${texts.chat}</h2>
<aside ${id('chat-pinned')} aria-label="${texts.chat_pinned}" hidden>${icon('pin')}<p ${id('pinned-line')} class="message" dir="auto" tabindex="0"></p></aside>
<div class="log"><div role="log" aria-label="${texts.chat_log}"><ol ${id('chat-log')} tabindex="0"></ol>
<p ${id('chat-empty')} class="soft">${texts.chat_empty}</p></div>
<button ${id('chat-new')} type="button" class="pill" hidden>${texts.chat_new}</button></div>
<p ${id('chat-notice')} role="status"></p>
<p ${id('chat-closed')} class="soft">${texts.client.chat_closed}</p>
<form ${id('chat-form')} autocomplete="off"><p ${id('nick-given')} class="nick" hidden><span>${texts.nick}</span> <bdi ${id('nick-name')}></bdi></p>
<label ${id('nick-asked')} class="nick"><span>${texts.nick}</span>
<input ${id('nick')} type="text" dir="auto" maxlength="${nickCharactersMax}" spellcheck="false" enterkeyhint="done"></label>
<p ${id('chat-slow')} class="soft" hidden></p>
<p ${id('chat-reply')} hidden><span ${id('chat-reply-text')} dir="auto"></span>
<button ${id('chat-reply-end')} type="button" aria-label="${texts.end_reply}">${icon('close')}</button></p>
<div class="say"><input ${id('chat-text')} type="text" dir="auto" maxlength="${chatCharactersMax}" placeholder="${texts.chat_placeholder}" aria-label="${texts.chat_placeholder}" aria-describedby="chat-slow chat-reply-text" enterkeyhint="send">
<button ${id('chat-send')} type="submit" aria-label="${texts.send}">${icon('send')}</button></div></form></section>`;
}
