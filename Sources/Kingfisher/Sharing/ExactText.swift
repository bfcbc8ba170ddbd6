/// A text that is the same as another only if its bytes are, as a key is in memory and on the disk.
///
/// `String` takes two spellings of one letter for the same ("é" and "e" with an accent).
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (one: Self, other: Self) -> Bool {
        one.withBytes { bytes in
            other.withBytes { bytes.count == $0.count && bytes.elementsEqual($0) }
        }
    }

    func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    private func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        var text = text
        return text.withUTF8(body)
    }
}
