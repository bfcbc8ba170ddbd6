/// LZW codes, least significant bit first, that repeat a list of steps.
struct CodeStream {
    let codeSize: Int
    private(set) var bytes: [UInt8] = []

    private var bitCount = 0
    private var available: Int
    private var width: Int
    private var isFresh = true
    private var clear: Int { 1 << codeSize }

    /// Generates `count` codes, enough for as many indices unless there are clear codes. Each step is two
    /// bytes.
    init(following steps: ArraySlice<UInt8>, codeSize: Int, count: Int) {
        self.codeSize = codeSize
        available = 1 << codeSize + 2
        width = codeSize + 1
        var place = steps.startIndex
        for _ in 0..<count {
            if place + 1 >= steps.endIndex { place = steps.startIndex }
            append(code(for: Int(steps[place]) << 8 | Int(steps[place + 1])))
            place += 2
        }
    }

    private func code(for step: Int) -> Int {
        let choice = step & 0xFFF
        let code =
            switch step >> 12 {
            case 0..<9: choice % clear
            case 9..<12: choice % available
            case 12: available - 1
            // The string that this code defines.
            case 13: isFresh ? choice % clear : min(available, 4095)
            case 14: choice == 0 ? clear : choice % clear
            // Occasionally an invalid code.
            default: choice < 8 ? (1 << width) - 1 - choice : choice % clear
            }
        // An end code would end most streams immediately.
        return code == clear + 1 && step >> 12 < 15 ? 0 : code
    }

    private mutating func append(_ code: Int) {
        for place in 0..<width {
            if bitCount % 8 == 0 { bytes.append(0) }
            bytes[bitCount / 8] |= UInt8(code >> place & 1) << UInt8(bitCount % 8)
            bitCount += 1
        }
        if code == clear {
            (available, width, isFresh) = (clear + 2, codeSize + 1, true)
            return
        }
        // The first code has no previous string to extend.
        if !isFresh { available = min(available + 1, 4096) }
        isFresh = false
        if available >= 1 << width, width < 12 { width += 1 }
    }
}
