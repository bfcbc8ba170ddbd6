/// How much of each attack is made, and what the server may take. Memory is in mebibytes, time in seconds.
public struct SiegeScale: Sendable {
    /// Requests for a small image that are timed during an attack.
    var innocents = 20
    /// What a flood of chunks may add to such a request.
    var delay = 0.05
    /// Whether the flood goes on until the server ends it.
    var awaitsLimit = true

    var bodyClients = 120
    var bodyMemory = 600.0

    var photoClients = 300
    var photos = 1_000
    var photoMemory = 400.0
    /// Seconds of rest after which memory must have been given back.
    var rest = 60.0

    var pngSide = 10_000
    var pngMemory = 100.0
    var pngMemoryOfEight = 256.0

    var slowHosts = 58
    var slowRequestsPerHost = 6
    var otherHostWait = 1.0
    var silentRequests = 20
    /// A window of 5 s, then two more rounds of six requests that are judged by a second, and their looks.
    var sameHostWait = 9.0

    var leavingClients = 20
    /// Side of the images whose decodes wait while their clients leave.
    var leftPNGSide = 10_000
    var leavingTime = 1.0
    /// CPU time of the server in the seconds that begin one after the clients have left.
    var leftWork = 0.3
    var leftWorkSeconds = 3.0

    var gifFrames = 9_999
    var gifCPU = 1.0

    /// The counts of the issue, for a release build.
    public static let full = SiegeScale()

    /// Counts for every run of the tests, on a debug build and a busy machine. What is not bounded at all
    /// exceeds these limits several times.
    public static let reduced: SiegeScale = {
        var scale = SiegeScale()
        scale.innocents = 4
        scale.delay = 0.8
        scale.awaitsLimit = false
        scale.bodyClients = 40
        scale.bodyMemory = 450
        scale.pngSide = 3_000
        scale.pngMemory = 60
        scale.pngMemoryOfEight = 150
        scale.otherHostWait = 3
        scale.sameHostWait = 11
        scale.leftPNGSide = 6_000
        scale.leavingTime = 2
        scale.leftWork = 0.7
        scale.leftWorkSeconds = 1.5
        return scale
    }()
}
