/// The digits of a `BlurHash`, most significant first.
enum Base83 {
    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

    private static let values: [Int8] = {
        var values = [Int8](repeating: -1, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = Int8(value) }
        return values
    }()

    static func text(of number: Int, digits: Int) -> String {
        var (rest, text) = (number, [UInt8](repeating: 0, count: digits))
        for place in text.indices.reversed() {
            text[place] = alphabet[rest % alphabet.count]
            rest /= alphabet.count
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads numbers of at most four digits.
    struct Digits {
        private var rest: String.UTF8View.SubSequence

        init(_ text: String.UTF8View) { rest = text[...] }

        mutating func next(_ count: Int) throws(PlaceholderHashError) -> Int {
            var number = 0
            for _ in 0..<count {
                guard let character = rest.popFirst() else { throw .invalidLength }
                let value = values[Int(character)]
                guard value >= 0 else { throw .invalidCharacter }
                number = number * alphabet.count + Int(value)
            }
            return number
        }
    }
}
