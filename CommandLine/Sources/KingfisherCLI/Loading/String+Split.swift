extension String {
    /// The text before the first `separator`, and the text after it; nil without a separator.
    func split(at separator: Character) -> (head: String, tail: String?) {
        guard let index = firstIndex(of: separator) else { return (self, nil) }
        return (String(self[..<index]), String(self[self.index(after: index)...]))
    }
}
