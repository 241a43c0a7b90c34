// A moment of a recording in an address (`?t=`): read as people write it, written as all read it.

const forms = [
  /^(?<s>\d{1,6})s?$/,
  /^(?:(?<h>\d{1,3})h)?(?:(?<m>\d{1,4})m)?(?:(?<s>\d{1,6})s)?$/,
  /^(?:(?<h>\d{1,3}):)?(?<m>\d{1,4}):(?<s>\d{1,2})$/,
];

/** `90`, `90s`, `1m30s` and `1:30` are the same; undefined for what is none of these. */
export function secondsOf(moment: string): number | undefined {
  if (moment === '') return undefined;
  const found = forms.map((form) => form.exec(moment.toLowerCase())?.groups).find(Boolean);
  if (!found) return undefined;
  const [hours, minutes, seconds] = ['h', 'm', 's'].map((name) => Number(found[name] ?? 0));
  return (hours ?? 0) * 3_600 + (minutes ?? 0) * 60 + (seconds ?? 0);
}

/** The address, beginning at that second; without it where that is its beginning anyway. */
export function addressAt(address: string, seconds: number): string {
  const url = new URL(address);
  url.searchParams.delete('t');
  if (seconds >= 1) url.searchParams.set('t', String(Math.floor(seconds)));
  return url.href;
}
