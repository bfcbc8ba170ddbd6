/// Changes a TIFF file (an EXIF block) in place: offsets in it stay valid, also those in a maker's private
/// data.
struct TIFFEditor {
    private(set) var bytes: [UInt8]
    private let isBigEndian: Bool

    private enum Tag {
        static let orientation = 0x0112
        static let thumbnailOffset = 0x0201
        static let thumbnailLength = 0x0202
        static let exif = 0x8769
        static let gps = 0x8825
        static let colorSpace = 0xA001
        static let width = 0xA002
        static let height = 0xA003
    }

    private static let headBytes = 8
    /// The directories of files have one successor; these are for malicious files.
    private static let maximumDirectories = 8
    private static let maximumGPSDirectories = 4

    struct Entry {
        let tag: Int
        let type: Int
        let count: Int
        /// The offset of the twelve bytes.
        let place: Int
    }

    /// Nil without a TIFF header.
    init?(_ bytes: [UInt8]) {
        guard let file = bytes.withUnsafeBytes({ TIFFFile(ByteReader($0)).map { $0.isBigEndian } }),
            bytes.first != UInt8(ascii: "E")
        else { return nil }
        isBigEndian = file
        self.bytes = bytes
    }

    // MARK: Reading

    private func uint16(at offset: Int) -> Int? {
        bytes.withUnsafeBytes { ByteReader($0).uint16(at: offset, bigEndian: isBigEndian) }
    }

    private func uint32(at offset: Int) -> Int? {
        bytes.withUnsafeBytes { ByteReader($0).uint32(at: offset, bigEndian: isBigEndian) }
    }

    private var first: Int { uint32(at: 4) ?? 0 }

    private func entries(of directory: Int) -> [Entry] {
        guard let count = uint16(at: directory) else { return [] }
        var entries: [Entry] = []
        for index in 0..<count {
            let place = directory + 2 + index * 12
            guard place + 12 <= bytes.count, let tag = uint16(at: place), let type = uint16(at: place + 2),
                let count = uint32(at: place + 4)
            else { break }
            entries.append(Entry(tag: tag, type: type, count: count, place: place))
        }
        return entries
    }

    private func nextPlace(of directory: Int) -> Int {
        directory + 2 + (uint16(at: directory) ?? 0) * 12
    }

    /// The value of an entry, or the offset of its values.
    private func value(of entry: Entry) -> Int? {
        entry.type == 3 ? uint16(at: entry.place + 8) : uint32(at: entry.place + 8)
    }

    /// The main directory, its successors, and the directories of EXIF; each once.
    private func directories() -> [Int] {
        var found: [Int] = []
        var next: Int? = first
        while let directory = next, directory > 0, !found.contains(directory),
            found.count < Self.maximumDirectories
        {
            found.append(directory)
            next = uint32(at: nextPlace(of: directory))
        }
        for directory in found {
            for entry in entries(of: directory) where entry.tag == Tag.exif {
                guard let camera = value(of: entry), !found.contains(camera),
                    found.count < 2 * Self.maximumDirectories
                else { continue }
                found.append(camera)
            }
        }
        return found
    }

    // MARK: Writing

    private mutating func set(_ offset: Int, to value: Int, bytes count: Int) {
        guard offset >= 0, offset + count <= bytes.count else { return }
        for index in 0..<count {
            let shift = (isBigEndian ? count - 1 - index : index) * 8
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
    }

    /// Writes zeros; returns the number of bytes.
    @discardableResult
    private mutating func zero(_ start: Int, _ end: Int) -> Int {
        let end = min(end, bytes.count)
        guard start >= 0, start < end else { return 0 }
        for index in start..<end { bytes[index] = 0 }
        return end - start
    }

    mutating func replace(_ range: Range<Int>, with replacement: [UInt8]) {
        guard range.count == replacement.count, range.upperBound <= bytes.count else { return }
        bytes.replaceSubrange(range, with: replacement)
    }

    // MARK: Location

    /// Removes the entries that point to GPS directories, and overwrites these with their values.
    ///
    /// Throws `corrupt` for overlapping values, which take long to overwrite, and for many directories.
    mutating func removeLocation() throws(ImageCodecError) {
        var places: [Int] = []
        for directory in directories() {
            for entry in entries(of: directory) where entry.tag == Tag.gps {
                guard let place = value(of: entry), !places.contains(place) else { continue }
                guard places.count < Self.maximumGPSDirectories else { throw .corrupt("too many locations") }
                places.append(place)
            }
            removeEntries(Tag.gps, of: directory)
        }
        for place in places { try erase(directory: place) }
        // Zeros in the place of an offset can reveal another directory.
        let rest = bytes.withUnsafeBytes { EXIFReader(ByteReader($0))?.location }
        guard rest == nil else { throw .corrupt("a location that overlaps other values") }
    }

    private mutating func removeEntries(_ tag: Int, of directory: Int) {
        let all = entries(of: directory)
        let kept = all.filter { $0.tag != tag }
        guard kept.count < all.count, let declared = uint16(at: directory) else { return }
        let tail = nextPlace(of: directory)
        let next = uint32(at: tail) ?? 0
        let content = kept.map { Array(bytes[$0.place..<$0.place + 12]) }
        zero(directory + 2, tail + 4)
        let count = declared == all.count ? kept.count : min(declared, kept.count)
        set(directory, to: count, bytes: 2)
        for (index, entry) in content.enumerated() {
            let place = directory + 2 + index * 12
            replace(place..<place + 12, with: entry)
        }
        set(directory + 2 + count * 12, to: next, bytes: 4)
    }

    private mutating func erase(directory: Int) throws(ImageCodecError) {
        var room = bytes.count
        let end = nextPlace(of: directory) + 4
        for entry in entries(of: directory) {
            let length = entry.count * TIFFDirectory.bytes(of: entry.type)
            guard length > 4, let place = uint32(at: entry.place + 8) else { continue }
            // Values of a valid file do not overlap.
            room -= zero(place, place + length)
            guard room >= 0 else { throw .corrupt("overlapping values of a location") }
        }
        zero(directory, end)
    }

    // MARK: Thumbnails

    /// The JPEG thumbnails of all directories.
    func thumbnails() -> [Range<Int>] {
        directories().compactMap { directory in
            let entries = entries(of: directory)
            guard
                let start = entries.first(where: { $0.tag == Tag.thumbnailOffset }).flatMap({ value(of: $0) }
                ),
                let length = entries.first(where: { $0.tag == Tag.thumbnailLength }).flatMap({ value(of: $0) }
                ),
                start + length <= bytes.count, length > 4
            else { return nil }
            return start..<start + length
        }
    }

    /// Removes the directories after the main one, and overwrites their thumbnails.
    mutating func removeThumbnails() {
        for range in thumbnails() { zero(range.lowerBound, range.upperBound) }
        set(nextPlace(of: first), to: 0, bytes: 4)
    }

    // MARK: Values

    /// Writes the orientation of the main directory, and of the thumbnail's directory if it states one; false
    /// if the main directory has none.
    mutating func setOrientation(_ orientation: Image.Orientation) -> Bool {
        func place(in directory: Int) -> Int? {
            entries(of: directory).first { $0.tag == Tag.orientation }?.place
        }
        guard let own = place(in: first) else { return false }
        setShort(at: own, to: orientation.exifValue)
        let tail = nextPlace(of: first)
        if let second = uint32(at: tail), second >= tail + 4, let thumbnail = place(in: second) {
            setShort(at: thumbnail, to: orientation.exifValue)
        }
        return true
    }

    /// Makes the entry at `place` one short.
    private mutating func setShort(at place: Int, to value: Int) {
        set(place + 2, to: 3, bytes: 2)
        set(place + 4, to: 1, bytes: 4)
        set(place + 8, to: value, bytes: 2)
        set(place + 10, to: 0, bytes: 2)
    }

    /// Writes a main directory with the orientation after the present bytes. False if the present directory
    /// is malformed.
    mutating func addOrientation(_ orientation: Image.Orientation) -> Bool {
        let old = first
        let all = entries(of: old)
        // A directory within the header would be overwritten with it.
        guard old >= Self.headBytes, let declared = uint16(at: old), declared == all.count, declared < 0xFFFF
        else { return false }
        let next = uint32(at: nextPlace(of: old)) ?? 0
        let content = all.map { ($0.tag, Array(bytes[$0.place..<$0.place + 12])) }
        zero(old, nextPlace(of: old) + 4)
        if bytes.count % 2 == 1 { bytes.append(0) }
        let place = bytes.count
        bytes += [UInt8](repeating: 0, count: 2 + (all.count + 1) * 12 + 4)
        set(4, to: place, bytes: 4)
        set(place, to: all.count + 1, bytes: 2)
        // Entries are in the order of their tags.
        let before = content.prefix { $0.0 < Tag.orientation }.count
        for (index, entry) in content.enumerated() {
            let start = place + 2 + (index < before ? index : index + 1) * 12
            replace(start..<start + 12, with: entry.1)
        }
        let own = place + 2 + before * 12
        set(own, to: Tag.orientation, bytes: 2)
        setShort(at: own, to: orientation.exifValue)
        set(place + 2 + (all.count + 1) * 12, to: next, bytes: 4)
        return true
    }

    /// Writes the size in pixels, where the file states it.
    mutating func setSize(_ size: PixelSize) {
        for directory in directories() {
            for entry in entries(of: directory) where entry.tag == Tag.width || entry.tag == Tag.height {
                let side = entry.tag == Tag.width ? size.width : size.height
                set(entry.place + 2, to: 4, bytes: 2)
                set(entry.place + 4, to: 1, bytes: 4)
                set(entry.place + 8, to: side, bytes: 4)
            }
        }
    }

    /// Writes that the colours are sRGB, where the file states a colour space.
    mutating func setSRGB() {
        for directory in directories() {
            for entry in entries(of: directory) where entry.tag == Tag.colorSpace {
                setShort(at: entry.place, to: 1)
            }
        }
    }
}
