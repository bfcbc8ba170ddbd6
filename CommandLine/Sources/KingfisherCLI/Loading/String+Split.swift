extension String {
    /// The text before and after the first `separator`; the tail is nil without a separator.
    func split(at separator: Character) -> (head: String, tail: String?) {
        guard let index = firstIndex(of: separator) else { return (self, nil) }
        return (String(self[..<index]), String(self[self.index(after: index)...]))
    }
}
