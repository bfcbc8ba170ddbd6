import Testing

/// Calls a loop over a row of RGBA at odd addresses.
enum KernelRow {
    private static let margin = 3

    /// The result of `loop` for `source`; fails if the loop writes outside the row.
    static func made(
        of source: [UInt8], _ loop: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) -> Void
    ) -> [UInt8] {
        let margin = [UInt8](repeating: 0xA5, count: Self.margin)
        let framed = margin + source + margin
        var target = [UInt8](repeating: 0xA5, count: framed.count)
        framed.withUnsafeBufferPointer { framed in
            target.withUnsafeMutableBufferPointer { target in
                guard let from = framed.baseAddress, let to = target.baseAddress else { return }
                loop(from + Self.margin, source.count / 4, to + Self.margin)
            }
        }
        #expect(target.prefix(Self.margin) == margin[...] && target.suffix(Self.margin) == margin[...])
        return Array(target.dropFirst(Self.margin).dropLast(Self.margin))
    }
}
