// What a person types about themselves, as the service reads it; the console reads it the same way before it asks.
import { secretText, text } from '../../base/api/fields.ts';

const passwordCharacters = Object.freeze({ min: 8, max: 200 });

export const userNameField = text('user name or email; letters of any case are the same', {
  min: 1,
  max: 255,
  trim: true,
  isVisible: true,
  examples: ['ada@example.com'],
});

export const personNameField = text('the name that others are shown', {
  min: 1,
  max: 255,
  trim: true,
  isVisible: true,
  examples: ['Ada'],
});

/** One that is set; what is wrong with it besides `password.ts` says. */
export const newPasswordField = secretText('a new password, not a common one nor the user name', {
  ...passwordCharacters,
  examples: ['three green lamps'],
});

/** One that is compared: any that may have been set. */
export const passwordField = secretText('the password', {
  min: 1,
  max: passwordCharacters.max,
  examples: ['three green lamps'],
});

export const linkField = secretText('what stands behind the # of the link', {
  min: 1,
  max: 200,
  examples: ['2mXb7Qk0sJcV9hTzR4yLwN1aPfUg8sYd3KqWe5RtZ6u'],
});
