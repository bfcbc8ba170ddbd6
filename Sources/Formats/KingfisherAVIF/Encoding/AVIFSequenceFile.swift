import Foundation
import KingfisherCodecSupport

/// A sequence from libavif's encoder, made reproducible, with a loop count that libavif 0.11 cannot write.
///
/// The encoder stores the time of day in `mvhd`, `tkhd` and `mdhd`. Loops are a repeated edit (`edts` with
/// `elst`) in each track and a track duration of all of them (ISO/IEC 23000-22, 7), so that the offsets of
/// the samples (`stco` and `iloc`) grow. Input is our own file, yet malformed boxes give nil.
struct AVIFSequenceFile {
    let data: Data

    private static let editLength = 44

    init?(_ file: Data, addingPlays plays: Int?) {
        var patch = Patch(bytes: [UInt8](file))
        guard let movie = patch.box("moov", in: 0..<patch.bytes.count) else { return nil }
        let tracks = patch.boxes("trak", in: patch.content(movie))
        guard patch.clearTimes(movie, tracks) else { return nil }
        if let plays {
            let shift = tracks.count * Self.editLength
            for track in tracks { guard patch.moveSamples(of: track, by: shift) else { return nil } }
            if let meta = patch.box("meta", in: 0..<patch.bytes.count) {
                guard patch.moveItems(of: meta, by: shift) else { return nil }
            }
            // From the last one, so that the offsets of the others stay valid.
            for track in tracks.reversed() {
                guard patch.addEdit(to: track, of: movie, plays: plays) else { return nil }
            }
        }
        data = Data(patch.bytes)
    }
}

private struct Patch {
    var bytes: [UInt8]

    func number(_ count: Int, at offset: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        let value = bytes[offset..<offset + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: value)
    }

    mutating func put(_ value: Int, _ count: Int, at offset: Int) -> Bool {
        guard value >= 0, offset >= 0, offset <= bytes.count - count else { return false }
        for index in 0..<count {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - index)))
        }
        return true
    }

    private mutating func add(_ shift: Int, _ count: Int, at offset: Int) -> Bool {
        guard let value = number(count, at: offset) else { return false }
        return put(value + shift, count, at: offset)
    }

    func content(_ box: Range<Int>) -> Range<Int> { min(box.lowerBound + 8, box.upperBound)..<box.upperBound }

    func boxes(_ type: String, in range: Range<Int>) -> [Range<Int>] {
        var (offset, found) = (range.lowerBound, [Range<Int>]())
        while let length = number(4, at: offset), length >= 8, offset + length <= range.upperBound {
            if bytes[offset + 4..<offset + 8].elementsEqual(type.utf8) {
                found.append(offset..<offset + length)
            }
            offset += length
        }
        return found
    }

    func box(_ path: String..., in range: Range<Int>) -> Range<Int>? {
        var box = range
        for (index, type) in path.enumerated() {
            guard let next = boxes(type, in: index == 0 ? range : content(box)).first else { return nil }
            box = next
        }
        return box
    }

    mutating func clearTimes(_ movie: Range<Int>, _ tracks: [Range<Int>]) -> Bool {
        let headers =
            [box("mvhd", in: content(movie))]
            + tracks.flatMap { [box("tkhd", in: content($0)), box("mdia", "mdhd", in: content($0))] }
        for case let header? in headers {
            let isLong = bytes[header.lowerBound + 8] == 1
            let times = header.lowerBound + 12..<header.lowerBound + 12 + (isLong ? 16 : 8)
            guard times.upperBound <= header.upperBound else { return false }
            for index in times { bytes[index] = 0 }
        }
        return !headers.contains(nil)
    }

    mutating func moveSamples(of track: Range<Int>, by shift: Int) -> Bool {
        guard let offsets = box("mdia", "minf", "stbl", "stco", in: content(track)),
            let count = number(4, at: offsets.lowerBound + 12), count <= offsets.count / 4
        else { return false }
        return (0..<count).allSatisfy { add(shift, 4, at: offsets.lowerBound + 16 + 4 * $0) }
    }

    /// The `iloc` of libavif: version 0, offsets and lengths of 4 bytes, no base offset.
    mutating func moveItems(of meta: Range<Int>, by shift: Int) -> Bool {
        guard let items = box("iloc", in: meta.lowerBound + 12..<meta.upperBound) else { return true }
        guard number(1, at: items.lowerBound + 8) == 0, number(2, at: items.lowerBound + 12) == 0x4400,
            let count = number(2, at: items.lowerBound + 14)
        else { return false }
        var offset = items.lowerBound + 16
        for _ in 0..<count {
            guard let extents = number(2, at: offset + 4) else { return false }
            offset += 6
            for _ in 0..<extents {
                guard add(shift, 4, at: offset) else { return false }
                offset += 8
            }
        }
        return true
    }

    mutating func addEdit(to track: Range<Int>, of movie: Range<Int>, plays: Int) -> Bool {
        guard let header = box("tkhd", in: content(track)), bytes[header.lowerBound + 8] == 1,
            let duration = number(8, at: header.lowerBound + 36),
            put(duration * plays, 8, at: header.lowerBound + 36)
        else { return false }
        var edit: [UInt8] = [0, 0, 0, 44]
        edit += "edts".utf8
        edit += [0, 0, 0, 36]
        edit += "elst".utf8
        edit += [1, 0, 0, 1, 0, 0, 0, 1]
        edit += (0..<8).map { UInt8(truncatingIfNeeded: duration >> (56 - 8 * $0)) }
        edit += [UInt8](repeating: 0, count: 8)
        edit += [0, 1, 0, 0]
        bytes.insert(contentsOf: edit, at: header.upperBound)
        return add(edit.count, 4, at: track.lowerBound) && add(edit.count, 4, at: movie.lowerBound)
    }
}
