func hexDigits(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { bytes in
        guard let start = bytes.baseAddress else { return "" }
        fill(start)
        return String(unsafeUninitializedCapacity: 2 * count) { text in
            for index in 0..<count {
                text[2 * index] = hexDigit(bytes[index] >> 4)
                text[2 * index + 1] = hexDigit(bytes[index] & 15)
            }
            return 2 * count
        }
    }
}

private func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
