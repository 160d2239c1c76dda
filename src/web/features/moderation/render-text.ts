// Renders the text of a message as the room does. The app provides it, because features do not import each other.
import { createContext, type ReactNode } from 'react';
import type { Persona } from '#contract/entities.ts';

/** @param personas those that the text can mention, by memberId */
export type TextRenderer = (text: string, personas: ReadonlyMap<string, Persona>) => ReactNode;

export const RenderText = createContext<TextRenderer>((text) => text);
