import Kingfisher

/// Encodes pixels as chunks, each as the shortest possible chunk.
struct QOIWriter {
    private var data = Data("qoif".utf8)
    private var pixel = QOIPixel.first
    private var seen = [QOIPixel](repeating: .zero, count: 64)
    private var run: UInt8 = 0

    init(_ size: PixelSize, channels: UInt8) {
        for side in [size.width, size.height] {
            data.append(contentsOf: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) })
        }
        data.append(contentsOf: [channels, 0])
    }

    mutating func append(_ next: QOIPixel) {
        if next == pixel {
            run += 1
            if run == 62 { endRun() }
            return
        }
        endRun()
        let step = next &- pixel
        pixel = next
        if seen[next.slot] == next { return data.append(UInt8(next.slot)) }
        seen[next.slot] = next
        guard step.w == 0 else { return data.append(contentsOf: [0xFF, next.x, next.y, next.z, next.w]) }

        let small = step &+ 2
        let (red, green, blue) = (step.x &- step.y &+ 8, step.y &+ 32, step.z &- step.y &+ 8)
        if small.x < 4, small.y < 4, small.z < 4 {
            data.append(0x40 | small.x << 4 | small.y << 2 | small.z)
        } else if red < 16, green < 64, blue < 16 {
            data.append(contentsOf: [0x80 | green, red << 4 | blue])
        } else {
            data.append(contentsOf: [0xFE, next.x, next.y, next.z])
        }
    }

    mutating func finish() -> Data {
        endRun()
        return data + [0, 0, 0, 0, 0, 0, 0, 1]
    }

    private mutating func endRun() {
        guard run > 0 else { return }
        data.append(0xC0 + run - 1)
        run = 0
    }
}
