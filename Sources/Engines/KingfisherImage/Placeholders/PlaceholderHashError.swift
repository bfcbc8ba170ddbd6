/// An error of reading a `BlurHash` or a `ThumbHash`.
public enum PlaceholderHashError: Error, Hashable, Sendable {
    /// The hash is shorter or longer than its header says, or too short for a header.
    case invalidLength
    /// The text contains a character that is not in its alphabet.
    case invalidCharacter
    /// A field has a value that no encoder writes, for example more than nine components.
    case invalidValue
}
