// The console's icons: lines on a grid of 24, drawn in the colour of the text beside them.

const lines = {
  plus: 'M12 5v14M5 12h14',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20 20',
  close: 'M6 6l12 12M18 6 6 18',
  more: 'M5 11.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2zM12 11.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2zM19 11.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2z',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  done: 'M5 12.5 10 17.5 19.5 7',
  pen: 'M4 20l1-4.5L16.5 4 20 7.5 8.5 19z',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-3.5 2.5-6 6.5-6s6.5 2.5 6.5 6M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2.2.8 3.5 2.7 3.5 5.5',
  person:
    'M12 11.5a3.8 3.8 0 1 0 0-7.5 3.8 3.8 0 0 0 0 7.5zM4.5 20.5c0-3.8 3-6.5 7.5-6.5s7.5 2.7 7.5 6.5',
  open: 'M13 5h6v6M19 5l-9 9M11 5H5v14h14v-6',
  warning: 'M12 4 2.5 20h19zM12 10v4.5M12 17.3v.01',
  desktop: 'M3 5h18v11H3zM9 20h6M12 16v4',
  phone: 'M7.5 3h9v18h-9zM11 18h2',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4',
  moon: 'M19.5 14.5A8 8 0 1 1 9.5 4.5a6.5 6.5 0 0 0 10 10z',
  image: 'M4 5h16v14H4zM4 16l4.5-4.5 4 4 2.5-2.5 5 5M15.5 9.5v.01',
  camera: 'M3 7h12v10H3zM15 10.5 21 7v10l-6-3.5z',
  clock: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 7.5V12l3 2.5',
  send: 'M4 12 20 4.5 15 20l-3.5-6.5zM11.5 13.5 20 4.5',
  pin: 'M9 4h6l-1 6 3.5 3.5h-11L10 10zM12 13.5V20',
  reply: 'M9.5 6 4 11.5 9.5 17M4 11.5h9a6.5 6.5 0 0 1 6.5 6.5v1',
  trash: 'M5 7h14M9.5 7V4.5h5V7M7 7l1 12.5h8L17 7M10.5 10.5v5.5M13.5 10.5v5.5',
  mute: 'M4 5h16v11H11l-4.5 4V16H4zM8 8.5l8 4.5',
  ban: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM6 6l12 12',
  key: 'M8.5 16.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12.5 12.5H21v3.5M17 12.5v3',
  leave: 'M10 5H5v14h5M9.5 12H20M16 8l4 4-4 4',
  up: 'M5.5 14.5 12 8l6.5 6.5',
  left: 'M14.5 5.5 8 12l6.5 6.5',
  right: 'M9.5 5.5 16 12l-6.5 6.5',
  play: 'M8 5.5v13L18.5 12z',
  upload: 'M12 16V5M7.5 9 12 4.5 16.5 9M5 20h14',
  pause: 'M8.5 5.5v13M15.5 5.5v13',
  download: 'M12 4v11M7.5 11 12 15.5 16.5 11M5 20h14',
  cut: 'M7 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM7 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM9 8.5 20 18M9 15.5 20 6',
  chart: 'M4 4v16h16M7.5 15.5l4-5 3 3 5-7',
} as const;

export type ConsoleIconName = keyof typeof lines;

/** Decoration: what it means stands beside it, or is the name of its button. */
export function ConsoleIcon({ name }: { name: ConsoleIconName }) {
  return (
    <svg class="icon line" viewBox="0 0 24 24" aria-hidden="true">
      <path d={lines[name]} />
    </svg>
  );
}

/** The stage light of the service. */
export function BrandMark() {
  return (
    <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d="M12 9.5v13l11-6.5z" />
    </svg>
  );
}
