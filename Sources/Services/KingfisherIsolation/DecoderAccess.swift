/// What a decoder process may open after its lock-down. Each case has separate processes.
public enum DecoderAccess: String, CaseIterable, Sendable {
    /// No file: for all formats except SVG.
    case nothing
    /// The fonts of the system and of the user, for reading: for SVG, whose files name the fonts of their
    /// text. Its decoder may also start threads, as Pango does to find a font.
    case fonts
    /// No file: for videos. The decoder asks the program for the bytes that it needs.
    case video
}
